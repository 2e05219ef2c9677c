namespace CoAP.NET.Cluster.Records;

/// <summary>The kind of a record. The numbers are stored in databases and never change.</summary>
internal enum CoapRecordKind : byte
{
    /// <summary>A DTLS session: keys, Connection ID, and the reserved record numbers.</summary>
    Session = 0,

    /// <summary>An observer of a resource of a server (RFC 7641).</summary>
    Observer = 1,

    /// <summary>An observation of this application at a device.</summary>
    Observation = 2,

    /// <summary>A registration of a device (RFC 9176).</summary>
    Registration = 3,

    /// <summary>The time and the node of a device's last message.</summary>
    Device = 4,

    /// <summary>A request that waits until its device is awake.</summary>
    Outbox = 5,

    /// <summary>The reserved sequence numbers of an OSCORE context (RFC 8613 appendix B.1), which every version reads.</summary>
    /// <remarks>
    /// The state is not encrypted: a number is not secret, and it must be readable after the secret of the cluster has changed. It begins
    /// with the epoch and the reserved bound, 8 bytes each, the highest first. Other bytes may follow, and are optional for a reader. The
    /// record has no end. Engines keep records of this kind apart from the others, where no upgrade and no downgrade removes them.
    /// </remarks>
    OscoreContext = 6,

    /// <summary>A DTLS session that a client can resume with a shorter handshake.</summary>
    Resumption = 7,

    /// <summary>A topic of publish/subscribe (draft-ietf-core-coap-pubsub), or the newest data of one.</summary>
    Topic = 8,

    /// <summary>The record that only the secret of the cluster opens.</summary>
    ClusterSecretCheckRecord = 9,

    /// <summary>
    /// What the messages of a DTLS session have changed since its <see cref="Session"/> was written: the time of the last one, and record
    /// numbers. Not encrypted.
    /// </summary>
    SessionProgress = 10,

    /// <summary>The first of the kinds 128 to 255, which are for tables of applications.</summary>
    Application = 128,
}
