namespace CoAP.NET.Requests;

/// <summary>What a step wants to happen next.</summary>
internal enum StepKind
{
    /// <summary>The request goes to the next step.</summary>
    Go,

    /// <summary>The same, and the step also wants to see when no response comes.</summary>
    Watch,

    /// <summary>A response came, and something is sent again.</summary>
    Again,

    /// <summary>There is a response.</summary>
    Done,

    /// <summary>There will be no response.</summary>
    Fail,

    /// <summary>The step waits before it knows what it wants.</summary>
    Wait,

    /// <summary>The step waits for the response that a conversation of its own gives, such as a block-wise transfer.</summary>
    Converse,
}
