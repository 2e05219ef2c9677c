namespace CoAP.NET.Survival.Balancing;

/// <summary>Numbers that were seen, in ranges, as they come nearly in order.</summary>
public sealed class RecordNumbers
{
    private readonly List<(ulong First, ulong Last)> _ranges = [];

    /// <summary>Adds a number; false when it was there.</summary>
    public bool TryAdd(ulong number)
    {
        int i = _ranges.Count - 1;
        while (i >= 0 && _ranges[i].First > number)
        {
            i--;
        }

        if (i >= 0 && number <= _ranges[i].Last)
        {
            return false;
        }

        bool joinsBefore = i >= 0 && _ranges[i].Last + 1 == number;
        bool joinsAfter = i + 1 < _ranges.Count && _ranges[i + 1].First == number + 1;
        if (joinsBefore && joinsAfter)
        {
            _ranges[i] = (_ranges[i].First, _ranges[i + 1].Last);
            _ranges.RemoveAt(i + 1);
        }
        else if (joinsBefore)
        {
            _ranges[i] = (_ranges[i].First, number);
        }
        else if (joinsAfter)
        {
            _ranges[i + 1] = (number, _ranges[i + 1].Last);
        }
        else
        {
            _ranges.Insert(i + 1, (number, number));
        }

        return true;
    }

    public void Clear() => _ranges.Clear();
}
