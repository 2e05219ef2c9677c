namespace CoAP.NET.Cluster;

/// <summary>What a record of a store is about. The numbers stand in databases and never change.</summary>
public enum CoapRecordKind : byte
{
    /// <summary>A DTLS session: keys, Connection ID, and how far its owner may count.</summary>
    Session = 0,

    /// <summary>An observer of a resource of ours (RFC 7641).</summary>
    Observer = 1,

    /// <summary>An observation of ours at a device.</summary>
    Observation = 2,

    /// <summary>A registration of a device (RFC 9176).</summary>
    Registration = 3,

    /// <summary>Where a device is.</summary>
    Device = 4,

    /// <summary>A request that waits until its device is awake.</summary>
    Outbox = 5,

    /// <summary>How far the sequence numbers of an OSCORE context are reserved (RFC 8613 appendix B.1).</summary>
    OscoreContext = 6,

    /// <summary>A DTLS session that can be resumed with a handshake of one round trip less.</summary>
    Resumption = 7,
}
