namespace CoAP.NET.Simulation.Attack;

/// <summary>
/// What goes to addresses in whose name others ask: in all, and what no request paid for. Free is the answer to each request, up to 136
/// bytes or three times the request.
/// </summary>
internal sealed class Victims
{
    private const int Free = 136;
    private const int Factor = 3;

    private readonly AttackServer _server;
    private readonly HashSet<(CoapAddress Victim, uint Token)> _answered = [];
    private readonly List<(long At, int Size)> _unpaid = [];
    private CoapAddress _asking;
    private int _requestLength;

    public Victims(AttackServer server)
    {
        _server = server;
        server.Wire.Sent = OnSent;
    }

    public long BytesIn { get; private set; }

    public long BytesOut { get; private set; }

    public long DatagramsOut { get; private set; }

    /// <summary>The largest answer, and the request that it answered.</summary>
    public double WorstAnswer { get; private set; }

    /// <summary>Whether each address is asked for only once, so that who was answered need not be remembered.</summary>
    public bool AreMany { get; init; }

    public long Unpaid => _unpaid.Sum(one => (long)one.Size);

    /// <summary>Sends a request in the name of a victim.</summary>
    /// <param name="victim">The victim.</param>
    /// <param name="request">The request.</param>
    /// <param name="group">The group that is asked; by default the server itself.</param>
    public void Forge(in CoapAddress victim, ReadOnlySpan<byte> request, in CoapAddress group = default)
    {
        BytesIn += request.Length;
        _asking = victim;
        _requestLength = request.Length;
        _server.Wire.Receive(victim, request, group);
        _requestLength = 0;
        if (AreMany)
        {
            _answered.Clear();
        }
    }

    /// <summary>The most bytes beyond what was free that left within any stretch of time.</summary>
    public long MostIn(TimeSpan period)
    {
        int last = 0;
        long sum = 0;
        long most = 0;
        for (int first = 0; first < _unpaid.Count; first++)
        {
            for (; last < _unpaid.Count && _unpaid[last].At < _unpaid[first].At + period.Ticks; last++)
            {
                sum += _unpaid[last].Size;
            }

            most = Math.Max(most, sum);
            sum -= _unpaid[first].Size;
        }

        return most;
    }

    private void OnSent(in CoapAddress to, ReadOnlySpan<byte> bytes)
    {
        BytesOut += bytes.Length;
        DatagramsOut++;
        bool isAnswering = _requestLength > 0 && to == _asking;
        if (isAnswering)
        {
            WorstAnswer = Math.Max(WorstAnswer, (double)bytes.Length / _requestLength);
        }

        // The one response that comes later, of a slow handler or to a group, is as free as one that comes at once.
        bool isFirst = bytes[1] == 0 || _answered.Add((to, Forged.TokenOf(bytes)));
        bool isFree = isAnswering ? bytes.Length <= Math.Max(Free, Factor * _requestLength) : isFirst && bytes.Length <= Free;
        if (!isFree)
        {
            _unpaid.Add((_server.Clock.Elapsed.Ticks, bytes.Length));
        }
    }
}
