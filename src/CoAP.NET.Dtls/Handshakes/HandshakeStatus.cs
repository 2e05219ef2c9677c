namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The state of a handshake.</summary>
internal enum HandshakeStatus
{
    /// <summary>It waits for the peer.</summary>
    Running,

    /// <summary>It waits for the pre-shared key of an identity (<see cref="Handshake.PskIdentity"/>).</summary>
    WantsKey,

    /// <summary>It waits for an answer of the application: a signature, a validation, a key (<see cref="Handshake.AskAsync"/>).</summary>
    WantsAnswer,

    /// <summary>Both ends have the keys.</summary>
    Done,

    /// <summary>It has ended without a session (<see cref="Handshake.Failure"/>).</summary>
    Failed,
}
