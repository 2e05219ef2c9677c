namespace CoAP.NET.Dtls;

/// <summary>What happened to a session, as an <see cref="ICoapDtlsSessionKeeper"/> is told.</summary>
public enum CoapDtlsSessionChangeKind
{
    /// <summary>It is new. Its state is to be kept.</summary>
    Made,

    /// <summary>It wants to count further than was confirmed: it waits for it when its numbers are used up. Its state is to be
    /// kept.</summary>
    Reserved,

    /// <summary>Something authentic was received in it, so that older records are refused after a crash. Its state is to be kept.</summary>
    Heard,

    /// <summary>The server has stopped; the session lives on where its state is loaded. It is to be kept.</summary>
    Stopped,

    /// <summary>It has ended: what was kept of it is to be removed.</summary>
    Ended,
}
