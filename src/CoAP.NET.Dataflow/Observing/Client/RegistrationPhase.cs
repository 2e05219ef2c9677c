namespace CoAP.NET.Observing.Client;

internal enum RegistrationPhase : byte
{
    /// <summary>The address of the peer is being resolved.</summary>
    Finding,

    Registering,

    /// <summary>The server notifies.</summary>
    Registered,

    /// <summary>Waits for the next registration.</summary>
    Waiting,

    /// <summary>The last reader left, and the server is being told.</summary>
    Cancelling,

    Over,
}
