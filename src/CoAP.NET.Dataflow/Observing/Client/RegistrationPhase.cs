namespace CoAP.NET.Observing;

/// <summary>The phase of a registration of this endpoint.</summary>
internal enum RegistrationPhase : byte
{
    /// <summary>The address of the peer is being resolved.</summary>
    Finding,

    /// <summary>A registration is running.</summary>
    Registering,

    /// <summary>The server notifies.</summary>
    Registered,

    /// <summary>Waits for the next registration.</summary>
    Waiting,

    /// <summary>The last reader left, and the server is being told.</summary>
    Cancelling,

    /// <summary>Ended.</summary>
    Over,
}
