using System.Globalization;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>Resolved SenML records (RFC 8428) as a table.</summary>
internal static class SenmlTable
{
    public static Table Of(IReadOnlyList<CoapSenmlRecord> records)
    {
        (string Name, Func<CoapSenmlRecord, string> Text)[] columns =
        [
            ("Name", record => record.Name ?? ""),
            ("Value", ValueOf),
            ("Unit", record => record.Unit ?? ""),
            ("Sum", record => Number(record.Sum)),
            ("Time", record => record.Timestamp?.ToString("yyyy-MM-dd HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture)
                ?? Number(record.Time)),
        ];
        return TableFormatter.Of(records, columns);
    }

    private static string ValueOf(CoapSenmlRecord record) =>
        record.Value is { } value ? Number(value)
        : record.StringValue
            ?? (record.BooleanValue is { } truth ? (truth ? "true" : "false")
                : record.DataValue is { } data ? $"h'{Convert.ToHexStringLower(data.Span)}'" : "");

    private static string Number(double? value) => value?.ToString("R", CultureInfo.InvariantCulture) ?? "";
}
