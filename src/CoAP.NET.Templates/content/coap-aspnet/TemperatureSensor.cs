/// <summary>Where the temperature comes from; put your sensor here.</summary>
public sealed class TemperatureSensor
{
    public double Celsius { get; set; } = 21.5;
}
