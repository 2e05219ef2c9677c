namespace CoAP.NET.Cluster;

/// <summary>The kind of a post about devices between nodes: the first byte of an item.</summary>
internal enum DevicePost : byte
{
    /// <summary>
    /// A device sent a message: the time (8 bytes), the length of its session's id (one byte), the id, the device's name. Sent to the node
    /// that owns the slot of the name.
    /// </summary>
    Heard,

    /// <summary>A request to a device is canceled: its number (8 bytes).</summary>
    Cancel,

    /// <summary>A device no longer exists: its name.</summary>
    Forget,

    /// <summary>A caller waits until a device is awake: its name.</summary>
    Watch,

    /// <summary>A device is awake, for a caller that waits: its name.</summary>
    Awake,

    /// <summary>
    /// A device came to another node with a new session or connection: the time (8 bytes), its name. <see cref="Heard"/> reports its
    /// messages.
    /// </summary>
    Came,

    /// <summary>
    /// A session of a device moved to another node with its slot: the time of its last message (8 bytes), the length of the session's id
    /// (one byte), the id, the device's name. The session may be old.
    /// </summary>
    Moved,

    /// <summary>A device has left a node that heard it until now: same format as <see cref="Heard"/>.</summary>
    Left,

    /// <summary>
    /// A session of a device came to the receiving node while the sending node has another one, and it is unknown which is newer: same
    /// format as <see cref="Heard"/>. Both ask the device.
    /// </summary>
    Doubted,

    /// <summary>
    /// A device spoke at the sending node, so its doubtful session at the receiving node is the older one: same format as
    /// <see cref="Heard"/>, with the id of the older one.
    /// </summary>
    Answers,
}
