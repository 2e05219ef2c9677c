using CoAP.NET.Diagnostics;

namespace CoAP.NET.Load.Running;

/// <summary>
/// The due times of an open loop's requests, in seconds since its start: at a fixed rate, which rises linearly from 0 while the peers
/// start. Equally spaced, or exponentially like the requests of independent users. Uses no clock.
/// </summary>
internal sealed class ArrivalTimes
{
    private readonly double _rate;
    private readonly double _ramp;
    private readonly bool _poisson;
    private readonly Random _random;

    // The average number of requests until the next one is due.
    private double _position;

    /// <summary>Creates a schedule; the first request is due immediately.</summary>
    /// <param name="rate">Requests per second, above 0.</param>
    /// <param name="rampSeconds">Duration of the rise.</param>
    /// <param name="poisson">Whether the intervals vary.</param>
    /// <param name="seed">The seed of all random choices.</param>
    public ArrivalTimes(double rate, double rampSeconds, bool poisson, int seed)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(rate);
        (_rate, _ramp, _poisson, _random) = (rate, rampSeconds, poisson, new Random(seed));

        // Several workers with equal intervals must not stay in phase.
        _position = poisson ? Exponential() : _random.NextDouble();
    }

    /// <summary>The due time of the next request.</summary>
    public double Next
    {
        get
        {
            double duringRamp = _rate * _ramp / 2;
            return _position < duringRamp ? Math.Sqrt(2 * _position * _ramp / _rate) : (_position / _rate) + (_ramp / 2);
        }
    }

    public void MoveOn() => _position += _poisson ? Exponential() : 1;

    private double Exponential() => -Math.Log(1 - _random.NextDouble());
}
