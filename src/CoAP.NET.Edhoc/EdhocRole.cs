namespace CoAP.NET.Edhoc;

/// <summary>The role of a party in EDHOC, which is independent of who is client or server of CoAP.</summary>
public enum EdhocRole
{
    /// <summary>Sends message_1 and message_3.</summary>
    Initiator,

    /// <summary>Sends message_2 and message_4.</summary>
    Responder,
}
