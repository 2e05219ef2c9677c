namespace CoAP.NET.Dtls.Records;

/// <summary>What became of a record.</summary>
internal enum OpenResult
{
    /// <summary>It is authentic and new.</summary>
    Opened,

    /// <summary>Its number came already, or is older than the window.</summary>
    Replayed,

    /// <summary>It was not sealed with the keys of this session.</summary>
    Forged,

    /// <summary>It has another shape, epoch or Connection ID than records of this session have.</summary>
    Foreign,

    /// <summary>It was not looked at, as the session could not answer.</summary>
    HeldUp,

    /// <summary>It is a request in a session that is handed over: it counts as not received, for whoever has the session next.</summary>
    HeldBack,
}
