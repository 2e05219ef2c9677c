using CoAP.NET.Observing;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Observe, server role (RFC 7641 section 4): answers that register an observer, and answers of notification runs. Takes the lock.
/// </summary>
internal sealed class ObserveAnswers
{
    private const int DefaultMaxAge = 60;

    private readonly ObserverLayer _observers;
    private readonly CoapShard _shard;

    public ObserveAnswers(ObserverLayer observers)
    {
        _observers = observers;
        _shard = observers.Shard;
    }

    /// <summary>
    /// Registers or deregisters the observer of an answer, and adds its options. Later steps, such as cutting the body into blocks, treat
    /// notifications like answers: the exchange of a notification has the options of the registration.
    /// </summary>
    /// <returns>Whether the answer continues.</returns>
    public bool TryObserve(CoapExchange exchange, ref CoapResult result, out Observer? observer)
    {
        observer = null;
        if (exchange.Observing is SubjectRun run)
        {
            if (result.IsRefusal)
            {
                Postpone(run);
                return false;
            }

            if (!result.Code.IsSuccess || result.DeclinesObserver)
            {
                // It is the last one: a response without Observe ends the registration (RFC 7641 section 3.2).
                result = WithoutObserve(result);
            }
            else if (run.IsLate)
            {
                _shard.Environment.Counters.Add(CoapCounter.LateResponses);
                return false;
            }
            else
            {
                result = Mark(result, run.Subject.Settings, run.Sequence);
            }
        }
        else if (exchange.Observing is Registration registration)
        {
            if (!result.Code.IsSuccess || result.DeclinesObserver)
            {
                // Ends an earlier registration with this token.
                Deregister(exchange);
                result = WithoutObserve(result);
            }
            else
            {
                observer = Register(exchange, registration, result, out uint number);
                result = observer is null ? WithoutObserve(result) : Mark(result, registration.Settings, number);
            }
        }

        return true;
    }

    private static CoapResult Mark(CoapResult result, ObserveSettings settings, uint number)
    {
        // A result may belong to many responses, so it is not changed.
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

    private Observer? Register(CoapExchange exchange, Registration registration, CoapResult result, out uint number)
    {
        _shard.Enter();
        try
        {
            return _observers.Table.Register(exchange, registration, result, out number);
        }
        finally
        {
            _shard.Exit();
        }
    }

    private void Deregister(CoapExchange exchange)
    {
        _shard.Enter();
        try
        {
            _observers.Table.Deregister(exchange.Channel, exchange.Request.Message.Token, CoapObserverEnd.Failed);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Creates the transmission of the answer to a registration.</summary>
    /// <returns>Null when the observer no longer exists.</returns>
    public CoapTransmission? Answer(Observer observer, CoapMessage response)
    {
        _shard.Enter();
        try
        {
            return _observers.Table.Answer(observer, response);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Handles an observer's answer that did not leave.</summary>
    public void Withdraw(Observer? observer)
    {
        if (observer is null)
        {
            return;
        }

        _shard.Enter();
        try
        {
            _observers.Table.Remove(observer, CoapObserverEnd.NotAnswered);
        }
        finally
        {
            _shard.Exit();
        }
    }

    private void Postpone(SubjectRun run)
    {
        _shard.Enter();
        try
        {
            _observers.Runs.Postpone(run);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Handles the answer of a run.</summary>
    public void Publish(SubjectRun run, CoapMessage response)
    {
        _shard.Enter();
        try
        {
            _observers.Runs.Publish(run, response);
        }
        finally
        {
            _shard.Exit();
        }
    }
}
