namespace CoAP.NET.Blockwise;

/// <summary>The action for a request with Block options.</summary>
internal enum BodyVerdictKind : byte
{
    /// <summary>The request goes up to the Resource stage.</summary>
    Deliver,

    /// <summary>It is answered at once.</summary>
    Answer,

    /// <summary>Its block goes to a handler that reads.</summary>
    Write,

    /// <summary>It gets no answer, but an acknowledgement when it is Confirmable.</summary>
    Settle,

    /// <summary>It is answered later.</summary>
    Wait,
}
