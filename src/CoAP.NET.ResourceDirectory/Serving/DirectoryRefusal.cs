namespace CoAP.NET.ResourceDirectory;

/// <summary>Why a request is refused.</summary>
/// <param name="Code">The code of the answer.</param>
/// <param name="Text">What is wrong and what to do, for people.</param>
internal sealed record DirectoryRefusal(CoapCode Code, string Text)
{
    public static DirectoryRefusal Bad(string text) => new(CoapCode.BadRequest, text);

    public CoapResult ToResult() => CoapResults.Status(Code, Text);
}
