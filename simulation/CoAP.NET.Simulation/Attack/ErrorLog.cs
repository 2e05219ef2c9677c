namespace CoAP.NET.Simulation.Attack;

/// <summary>Keeps the first errors that are logged, to be told.</summary>
internal sealed class ErrorLog() : BenchLog(LogLevel.Error)
{
    private const int Most = 5;

    private readonly List<string> _errors = [];

    /// <summary>Those that were kept; none of them is kept any longer.</summary>
    public string[] Take()
    {
        lock (_errors)
        {
            string[] all = [.. _errors];
            _errors.Clear();
            return all;
        }
    }

    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception)
    {
        lock (_errors)
        {
            if (_errors.Count < Most)
            {
                _errors.Add($"{level} {id}: {text} {exception}");
            }
        }
    }
}
