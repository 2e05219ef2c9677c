namespace CoAP.NET.Observing;

/// <summary>What an <see cref="ObservationEvent"/> says.</summary>
internal enum ObservationEventKind : byte
{
    /// <summary>The observation begins.</summary>
    Begin,

    /// <summary>The time of what is waited for may be over.</summary>
    Due,

    /// <summary>The search for the peer has ended.</summary>
    Found,

    /// <summary>A response with the token came.</summary>
    Response,

    /// <summary>A response with the token came and had to be rejected.</summary>
    Rejected,

    /// <summary>The connection to the peer has ended.</summary>
    Disconnected,

    /// <summary>Something became of a message of ours.</summary>
    Transmission,

    /// <summary>The rest of a representation is there, or cannot be had.</summary>
    Body,

    /// <summary>Another one shares the observation.</summary>
    ReadersChanged,

    /// <summary>The registration is to be made again now.</summary>
    Refresh,

    /// <summary>Somebody wants to know what another process needs to go on.</summary>
    Keep,

    /// <summary>Nobody observes any more.</summary>
    Cancel,

    /// <summary>Nobody observes any more, as another process goes on with it.</summary>
    Leave,

    /// <summary>The endpoint stopped.</summary>
    Stop,
}
