namespace CoAP.NET.Edhoc.Coap;

/// <summary>A session of a server as the Initiator (the reverse flow), which waits for message_4 of the client.</summary>
internal sealed class ReverseSessionAwaitingMessage4(EdhocInitiator initiator) : IDisposable
{
    public EdhocInitiator Initiator => initiator;

    /// <summary>Wipes the session, which an Initiator does not dispose after message_3.</summary>
    public void Dispose()
    {
        initiator.Session.Dispose();
        initiator.Dispose();
    }
}
