namespace CoAP.NET.Messaging;

/// <summary>Transmissions that wait for their turn, first in, first out, linked through themselves so that a cancelled one leaves at once. A struct inside its owner.</summary>
internal struct WaitingList
{
    private CoapTransmission? _first;
    private CoapTransmission? _last;

    public int Count { get; private set; }

    public readonly CoapTransmission? First => _first;

    public void Add(CoapTransmission transmission)
    {
        transmission.PreviousWaiting = _last;
        transmission.NextWaiting = null;
        if (_last is null)
        {
            _first = transmission;
        }
        else
        {
            _last.NextWaiting = transmission;
        }

        _last = transmission;
        Count++;
    }

    public void Remove(CoapTransmission transmission)
    {
        if (transmission.PreviousWaiting is { } previous)
        {
            previous.NextWaiting = transmission.NextWaiting;
        }
        else
        {
            _first = transmission.NextWaiting;
        }

        if (transmission.NextWaiting is { } next)
        {
            next.PreviousWaiting = transmission.PreviousWaiting;
        }
        else
        {
            _last = transmission.PreviousWaiting;
        }

        transmission.NextWaiting = transmission.PreviousWaiting = null;
        Count--;
    }
}
