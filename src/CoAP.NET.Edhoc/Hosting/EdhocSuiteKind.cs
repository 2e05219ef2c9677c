using System.Globalization;
using CoAP.NET.Edhoc;

namespace CoAP.NET.Hosting;

/// <summary>A cipher suite of EDHOC, by its number. The start of the application checks whether the platform supports it.</summary>
internal sealed class EdhocSuiteKind()
    : ValueKind<EdhocCipherSuite>($"one of {string.Join(", ", EdhocCipherSuite.All.Select(static suite => suite.Number))}")
{
    public override bool TryParse(string text, out EdhocCipherSuite value)
    {
        value = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? EdhocCipherSuite.Find(number)! : null!;
        return value is not null;
    }

    public override string Format(EdhocCipherSuite value) => value.Number.ToString(CultureInfo.InvariantCulture);
}
