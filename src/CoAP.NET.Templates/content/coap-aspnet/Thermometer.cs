namespace CoapWeb1;

/// <summary>Where the temperature comes from; put your sensor here.</summary>
public sealed class Thermometer
{
    public double Celsius { get; set; } = 21.5;
}
