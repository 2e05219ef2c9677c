using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// The result of one run of the handler, for all observers of a subject: they share code, options and payload, and differ in token and
/// Message ID.
/// </summary>
internal sealed class PreparedNotification
{
    /// <summary>The format of a representation without the option.</summary>
    public const int NoFormat = -1;

    /// <summary>The format of a response without a representation (2.03 Valid): any matches.</summary>
    public const int AnyFormat = -2;

    private readonly CoapCode _code;
    private readonly CoapOptionCollection _options;
    private readonly ReadOnlyMemory<byte> _payload;

    public PreparedNotification(CoapMessage template, SubjectRun run)
    {
        _code = template.Code;
        _options = template.OptionsToRead!;
        _payload = template.Payload;
        Change = run.Change;
        Number = run.Number;
        Format = FormatOf(template.Code, _options);
    }

    /// <summary>The last change that it shows.</summary>
    public long Change { get; }

    /// <summary>The number of the run.</summary>
    public long Number { get; }

    public int Format { get; }

    public static int FormatOf(CoapCode code, CoapOptionCollection? options) =>
        code == CoapCode.Valid ? AnyFormat
            : options is not null && options.TryGetUInt(OptionNumber.ContentFormat, out uint format) ? (int)format : NoFormat;

    public CoapMessage For(CoapToken token, CoapMessageType type) =>
        new(_code, _options) { Token = token, Payload = _payload, Type = type };
}
