namespace CoAP.NET.Tables;

/// <summary>What the entries of a table are. The numbers are stored in databases and never change.</summary>
internal enum CoapReplicatedTableKind : byte
{
    /// <summary>Registrations of a Resource Directory (RFC 9176).</summary>
    Registrations = 3,

    /// <summary>Topics of publish/subscribe (draft-ietf-core-coap-pubsub).</summary>
    Topics = 8,

    /// <summary>The first of the kinds 128 to 255, which are for tables of applications.</summary>
    Application = 128,
}
