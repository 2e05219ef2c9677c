namespace CoAP.NET.Hosting;

/// <summary>Yes or no.</summary>
internal sealed class SwitchKind() : ValueKind<bool>("true or false")
{
    public override bool TryParse(string text, out bool value) => bool.TryParse(text, out value);

    public override string Format(bool value) => value ? "true" : "false";
}
