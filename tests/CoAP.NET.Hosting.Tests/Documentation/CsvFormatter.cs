namespace CoAP.NET.Hosting.Tests.Documentation;

public sealed record Reading(string Sensor, double Celsius);

public sealed class CsvFormatter : ICoapFormatter
{
    // A number of your own is from 65000 to 65535 (RFC 7252 section 12.3).
    public CoapContentFormat Format { get; } = new(65000);

    public bool CanRead(Type type) => type == typeof(Reading);

    public bool CanWrite(Type type) => type == typeof(Reading);

    public object Read(ReadOnlyMemory<byte> payload, Type type) =>
        Encoding.UTF8.GetString(payload.Span).Split(',') is [string sensor, string celsius]
            ? new Reading(sensor, double.Parse(celsius, CultureInfo.InvariantCulture))
            : throw new CoapContentException(CoapCode.BadRequest, "Two fields are expected.");

    public ReadOnlyMemory<byte> Write(object value, Type type) =>
        value is Reading reading ? Encoding.UTF8.GetBytes(FormattableString.Invariant($"{reading.Sensor},{reading.Celsius}")) : default;
}
