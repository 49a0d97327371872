#include "choose.hpp"

#include <cstdio>

// A trump is dearer than any other card.
int main() {
    if (cost("attack 6S", "S") > cost("attack AH", "S")) {
        return 0;
    }
    std::puts("the trump is cheaper");
    return 1;
}
