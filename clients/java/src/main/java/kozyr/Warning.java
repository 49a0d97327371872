package kozyr;

/** What a warning is about. A later release may add values. */
public enum Warning {
    RETRY,
    LATE,
    NEAR_DEADLINE,
    ILLEGAL_MOVE,
    NOT_OPEN,
    DEPRECATED,
    SERVICE
}
