namespace CoAP.NET.Cli.Bench;

/// <summary>
/// When the requests of an open loop are due, in seconds since it began: at a fixed rate, which rises in a straight line from 0 while the
/// peers start. Equally spaced, or exponentially as the requests of independent users are. Looks at no clock.
/// </summary>
internal sealed class Arrivals
{
    private readonly double _rate;
    private readonly double _ramp;
    private readonly bool _poisson;
    private readonly Random _random;

    // How many requests are due on average until the next one.
    private double _position;

    /// <summary>Makes a schedule; the first request is there at once.</summary>
    /// <param name="rate">Requests a second, above 0.</param>
    /// <param name="rampSeconds">How long the rate rises.</param>
    /// <param name="poisson">Whether the times between vary.</param>
    /// <param name="seed">Of everything that is left to chance.</param>
    public Arrivals(double rate, double rampSeconds, bool poisson, int seed)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(rate);
        (_rate, _ramp, _poisson, _random) = (rate, rampSeconds, poisson, new Random(seed));

        // Several workers with equal spaces must not keep step.
        _position = poisson ? Exponential() : _random.NextDouble();
    }

    /// <summary>When the next request is due.</summary>
    public double Next
    {
        get
        {
            double duringRamp = _rate * _ramp / 2;
            return _position < duringRamp ? Math.Sqrt(2 * _position * _ramp / _rate) : (_position / _rate) + (_ramp / 2);
        }
    }

    /// <summary>Goes on to the one after.</summary>
    public void MoveOn() => _position += _poisson ? Exponential() : 1;

    private double Exponential() => -Math.Log(1 - _random.NextDouble());
}
