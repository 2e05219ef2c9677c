namespace CoAP.NET.Edhoc;

/// <summary>The role of a party in EDHOC, independent of the roles of CoAP client and server.</summary>
internal enum EdhocRole
{
    /// <summary>Sends message_1 and message_3.</summary>
    Initiator,

    /// <summary>Sends message_2 and message_4.</summary>
    Responder,
}
