namespace CoAP.NET.Observing;

/// <summary>How many observers an endpoint has, over all its shards.</summary>
internal sealed class ObserverCount
{
    private int _value;

    public int Value => Volatile.Read(ref _value);

    public bool TryAdd(int max)
    {
        if (Interlocked.Increment(ref _value) <= max)
        {
            return true;
        }

        Interlocked.Decrement(ref _value);
        return false;
    }

    public void Add() => Interlocked.Increment(ref _value);

    public void Remove() => Interlocked.Decrement(ref _value);
}
