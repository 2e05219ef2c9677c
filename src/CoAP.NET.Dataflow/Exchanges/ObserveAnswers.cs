using CoAP.NET.Observing;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

/// <summary>Observe, server role (RFC 7641 section 4): answers that register an observer, and answers of runs for notifications.</summary>
internal sealed class ObserveAnswers
{
    private const int DefaultMaxAge = 60;

    private readonly ObserverLayer _observers;
    private readonly CoapCounters _counters;

    public ObserveAnswers(ObserverLayer observers, CoapCounters counters)
    {
        _observers = observers;
        _counters = counters;
    }

    /// <summary>
    /// Notes what an answer means for observers, and gives it its options. What comes after it, such as cutting the body into blocks, works on notifications as on answers:
    /// the exchange of a notification has the options of the registration.
    /// </summary>
    /// <returns>Whether the answer goes on.</returns>
    public bool TryObserve(CoapExchange exchange, ref CoapResult result, out Observer? observer)
    {
        observer = null;
        if (exchange.Observing is SubjectRun run)
        {
            if (result.IsRefusal)
            {
                _observers.Postpone(run);
                return false;
            }

            if (!result.Code.IsSuccess)
            {
                result = WithoutObserve(result);
            }
            else if (_observers.TryNumber(run, out uint number))
            {
                result = Mark(result, run.Subject.Settings, number);
            }
            else
            {
                _counters.Add(CoapCounter.LateResponses);
                return false;
            }
        }
        else if (exchange.Observing is ObservableResource resource)
        {
            if (!result.Code.IsSuccess)
            {
                // Whoever registered before with this token is told that it is over.
                _observers.Deregister(exchange.Channel, exchange.Request.Message.Token, CoapObserverEnd.Failed);
                result = WithoutObserve(result);
            }
            else
            {
                observer = _observers.Register(exchange, resource, result, out uint number);
                result = observer is null ? WithoutObserve(result) : Mark(result, resource.Settings, number);
            }
        }

        return true;
    }

    private static CoapResult Mark(CoapResult result, ObserveSettings settings, uint number)
    {
        // A result may be on its way to many, so it is not changed.
        CoapResult marked = result.Copy();
        marked.Options.Remove(OptionNumber.Observe);
        marked.Options.AddUInt(OptionNumber.Observe, number);
        if (settings.MaxAge != DefaultMaxAge && !marked.Options.Contains(OptionNumber.MaxAge))
        {
            marked.Options.AddUInt(OptionNumber.MaxAge, settings.MaxAge);
        }

        return marked;
    }

    private static CoapResult WithoutObserve(CoapResult result)
    {
        if (!result.HasOptions || !result.OptionsToRead!.Contains(OptionNumber.Observe))
        {
            return result;
        }

        CoapResult plain = result.Copy();
        plain.Options.Remove(OptionNumber.Observe);
        return plain;
    }
}
