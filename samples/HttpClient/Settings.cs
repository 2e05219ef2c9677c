namespace HttpClientSample;

/// <summary>What the thermostat is set to.</summary>
/// <param name="Celsius">Degrees.</param>
internal sealed record Settings(double Celsius);
