namespace CoAP.NET.Observing;

/// <summary>The kinds of <see cref="ObservationEvent"/>.</summary>
internal enum ObservationEventKind : byte
{
    /// <summary>The observation starts.</summary>
    Begin,

    /// <summary>A wait may be over.</summary>
    Due,

    /// <summary>The search for the peer has ended.</summary>
    Found,

    /// <summary>A response with the token arrived.</summary>
    Response,

    /// <summary>A response with the token arrived and had to be rejected.</summary>
    Rejected,

    /// <summary>The connection to the peer has ended.</summary>
    Disconnected,

    /// <summary>A message of ours has a result.</summary>
    Transmission,

    /// <summary>The fetch of the rest of a representation has ended.</summary>
    Body,

    /// <summary>Another reader shares the observation.</summary>
    ReadersChanged,

    /// <summary>The observation must register again now.</summary>
    Refresh,

    /// <summary>A caller requests what another process needs to take over.</summary>
    Keep,

    /// <summary>The last reader left.</summary>
    Cancel,

    /// <summary>The last reader left because another process takes it over.</summary>
    Leave,

    /// <summary>The endpoint stopped.</summary>
    Stop,
}
