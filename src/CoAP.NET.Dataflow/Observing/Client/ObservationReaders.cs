namespace CoAP.NET.Observing;

/// <summary>The readers of an observation: usually one, which needs no collection. Not thread-safe.</summary>
internal struct ObservationReaders
{
    private CoapObservation? _only;
    private HashSet<CoapObservation>? _all;
    private CoapObservation[]? _list;

    public readonly int Count => _all?.Count ?? (_only is null ? 0 : 1);

    public void Add(CoapObservation reader)
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

    public void Remove(CoapObservation reader)
    {
        if (ReferenceEquals(_only, reader))
        {
            _only = null;
        }

        _all?.Remove(reader);
        _list = null;
    }

    /// <summary>Returns all readers as an immutable list, which is created only after a change.</summary>
    public IReadOnlyList<CoapObservation> ToList() => _list ??= _all is null ? _only is null ? [] : [_only] : [.. _all];
}
