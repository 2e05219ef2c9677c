namespace CoAP.NET.Cluster;

/// <summary>What a node tells others about devices: the first byte of an item.</summary>
internal enum DevicePost : byte
{
    /// <summary>
    /// A device was heard: when (8 bytes), the length of its session's id (one byte), the id, the device's name. To the node that has the
    /// slot of the name.
    /// </summary>
    Heard,

    /// <summary>A request to a device is not wanted any more: its number (8 bytes).</summary>
    Cancel,

    /// <summary>A device does not exist any more: its name.</summary>
    Forget,

    /// <summary>Somebody wants to know when a device is awake: its name.</summary>
    Watch,

    /// <summary>A device is awake, as somebody wanted to know: its name.</summary>
    Awake,

    /// <summary>
    /// A device came to another node by a new session or connection: when (8 bytes), its name. When it was heard is told by
    /// <see cref="Heard"/>.
    /// </summary>
    Came,

    /// <summary>
    /// A session of a device came to another node with its slot: when it was heard in it last (8 bytes), the length of the session's id
    /// (one byte), the id, the device's name. It may be an old session.
    /// </summary>
    Moved,

    /// <summary>
    /// A device was heard at a node until now, and is not there any more: as <see cref="Heard"/>.
    /// </summary>
    Left,

    /// <summary>
    /// A session of a device came to the node that is told, while another one is at the node that tells, and nobody knows which is the
    /// newer one: as <see cref="Heard"/>. Both ask the device.
    /// </summary>
    Doubted,

    /// <summary>
    /// A device has said something at the node that tells, so that its session at the node that is told, which was in doubt, is the older
    /// one: as <see cref="Heard"/>, with the id of the older one.
    /// </summary>
    Answers,
}
