namespace CoAP.NET.Tests.Connections;

/// <summary>A seeded source that several threads may use.</summary>
internal sealed class Dice(int seed) : Random(seed)
{
    private readonly Lock _gate = new();

    public override int Next(int maxValue)
    {
        lock (_gate)
        {
            return base.Next(maxValue);
        }
    }

    public override int Next(int minValue, int maxValue)
    {
        lock (_gate)
        {
            return base.Next(minValue, maxValue);
        }
    }
}
