namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>The reason for refusing a request.</summary>
/// <param name="Code">The response code.</param>
/// <param name="Text">A human-readable description of the error and of the remedy.</param>
internal sealed record DirectoryRefusal(CoapCode Code, string Text)
{
    public static DirectoryRefusal Bad(string text) => new(CoapCode.BadRequest, text);

    public CoapResult ToResult() => CoapResults.Status(Code, Text);
}
