namespace CoAP.NET.Content.Senml;

/// <summary>The labels of SenML fields by text and by number (RFC 8428 sections 4.3 and 6).</summary>
internal static class SenmlLabels
{
    public const string ObjectLinkText = "vlo";

    /// <summary>The labels in the order in which JSON writes them: base fields first.</summary>
    public static readonly (SenmlLabel Label, string Text)[] All =
    [
        (SenmlLabel.BaseName, "bn"),
        (SenmlLabel.BaseTime, "bt"),
        (SenmlLabel.BaseUnit, "bu"),
        (SenmlLabel.BaseVersion, "bver"),
        (SenmlLabel.BaseValue, "bv"),
        (SenmlLabel.BaseSum, "bs"),
        (SenmlLabel.Name, "n"),
        (SenmlLabel.Unit, "u"),
        (SenmlLabel.Value, "v"),
        (SenmlLabel.StringValue, "vs"),
        (SenmlLabel.BooleanValue, "vb"),
        (SenmlLabel.DataValue, "vd"),
        (SenmlLabel.Sum, "s"),
        (SenmlLabel.Time, "t"),
        (SenmlLabel.UpdateTime, "ut"),
        (SenmlLabel.ObjectLink, ObjectLinkText),
    ];

    /// <summary>The labels in the order of their bytes in CBOR (RFC 8949 section 4.2.1): 0 to 8, then -1 to -6, then texts.</summary>
    public static readonly SenmlLabel[] InCborOrder =
    [
        .. All.Select(entry => entry.Label).OrderBy(label => label == SenmlLabel.ObjectLink).ThenBy(label => label < 0)
            .ThenBy(label => Math.Abs((int)label)),
    ];

    public static bool TryFind(string text, CoapSenmlProfile profile, out SenmlLabel label)
    {
        int at = Array.FindIndex(All,
            entry => entry.Text == text && (entry.Label != SenmlLabel.ObjectLink || profile == CoapSenmlProfile.Lwm2m));
        label = at < 0 ? default : All[at].Label;
        return at >= 0;
    }

    public static bool TryFind(long number, out SenmlLabel label)
    {
        label = (SenmlLabel)number;
        return number is >= (int)SenmlLabel.BaseSum and <= (int)SenmlLabel.DataValue;
    }
}
