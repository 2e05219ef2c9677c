namespace CoAP.NET.Exchanges;

/// <summary>What happens to a request after a step.</summary>
internal enum RequestStepOutcomeKind
{
    /// <summary>Pass the request to the next step.</summary>
    Go,

    /// <summary>Pass the request to the next step, and call this one also when no response arrives.</summary>
    Watch,

    /// <summary>Send again after a response.</summary>
    Again,

    /// <summary>Return a response.</summary>
    Done,

    /// <summary>Fail without a response.</summary>
    Fail,

    /// <summary>Wait until the step has decided.</summary>
    Wait,

    /// <summary>Wait for the response of a conversation of the step, such as a block-wise transfer.</summary>
    Converse,
}
