namespace CoAP.NET.Requesting;

/// <summary>Those who share an observation: mostly one, which then costs no collection. Not thread-safe.</summary>
internal struct ObservationReaders
{
    private IObservationReader? _only;
    private HashSet<IObservationReader>? _all;
    private IObservationReader[]? _list;

    public readonly int Count => _all?.Count ?? (_only is null ? 0 : 1);

    public void Add(IObservationReader reader)
    {
        if (_all is null && _only is null)
        {
            _only = reader;
        }
        else
        {
            _all ??= [_only!];
            _all.Add(reader);
            _only = null;
        }

        _list = null;
    }

    public void Remove(IObservationReader reader)
    {
        if (ReferenceEquals(_only, reader))
        {
            _only = null;
        }

        _all?.Remove(reader);
        _list = null;
    }

    /// <summary>All of them, as a list that does not change any more; made anew only after a change.</summary>
    public IReadOnlyList<IObservationReader> ToList() => _list ??= _all is null ? _only is null ? [] : [_only] : [.. _all];
}
