namespace CoAP.NET.Dtls.Records;

/// <summary>The result of opening a record.</summary>
internal enum RecordOpenResult
{
    /// <summary>It is authentic and new.</summary>
    Opened,

    /// <summary>Its number came before, or is older than the window.</summary>
    Replayed,

    /// <summary>It was sealed with other keys than those of this session.</summary>
    Forged,

    /// <summary>Its format, epoch or Connection ID differs from those of this session.</summary>
    Foreign,

    /// <summary>It stays unopened because the session could not answer.</summary>
    HeldUp,

    /// <summary>It is a request in a session that is being handed over: it counts as not received, for the next server.</summary>
    HeldBack,
}
