using System.Runtime.CompilerServices;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>The text of a check, made only when the check fails: making it costs more than all else that an execution does.</summary>
[InterpolatedStringHandler]
internal ref struct CheckText
{
    private DefaultInterpolatedStringHandler _text;

    public CheckText(int literalLength, int formattedCount, bool holds, out bool isNeeded)
    {
        isNeeded = !holds;
        _text = isNeeded ? new DefaultInterpolatedStringHandler(literalLength, formattedCount) : default;
    }

    public void AppendLiteral(string text) => _text.AppendLiteral(text);

    public void AppendFormatted<T>(T value) => _text.AppendFormatted(value);

    public void AppendFormatted<T>(T value, string? format) => _text.AppendFormatted(value, format);

    public void AppendFormatted(ReadOnlySpan<byte> value) => _text.AppendFormatted(Convert.ToHexStringLower(value));

    public string Take() => _text.ToStringAndClear();
}
