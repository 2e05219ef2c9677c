namespace CoAP.NET.Observing;

/// <summary>How far the registration of an observation of ours is.</summary>
internal enum RegistrationPhase : byte
{
    /// <summary>The peer's address is being found.</summary>
    Finding,

    /// <summary>A registration is under way.</summary>
    Registering,

    /// <summary>The server notifies.</summary>
    Registered,

    /// <summary>The next registration is waited for.</summary>
    Waiting,

    /// <summary>Nobody observes any more, and the server is told.</summary>
    Cancelling,

    /// <summary>Ended.</summary>
    Over,
}
