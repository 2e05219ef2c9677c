namespace CoAP.NET.Simulation.Soak;

/// <summary>Carries out one operation and says how it ended.</summary>
internal static class SoakOperations
{
    private const int MaxBody = 6 * 1024;

    // In hundredths; the last one takes what is left.
    private static readonly (SoakKind Kind, int Share)[] s_mix =
    [
        (SoakKind.NonGet, 15), (SoakKind.Put, 14), (SoakKind.Post, 14), (SoakKind.Delete, 7), (SoakKind.Slow, 4), (SoakKind.Upload, 3),
        (SoakKind.Download, 3), (SoakKind.Cancel, 3), (SoakKind.Get, 100),
    ];

    public static SoakKind Choose(SoakDice dice, bool isStream)
    {
        int at = dice.Next(100);
        foreach ((SoakKind kind, int share) in s_mix)
        {
            if ((at -= share) < 0)
            {
                return isStream && kind == SoakKind.NonGet ? SoakKind.Get : kind;
            }
        }

        return SoakKind.Get;
    }

    /// <summary>Runs one.</summary>
    /// <returns>Its end, for the ledger.</returns>
    public static async Task<string> RunAsync(SoakKind kind, long id, SoakClient client, SoakSettings settings, SoakDice dice,
        SoakLedger ledger)
    {
        using CancellationTokenSource? cancel = kind == SoakKind.Cancel
            ? new CancellationTokenSource(TimeSpan.FromMilliseconds(dice.Next(60)))
            : null;
        try
        {
            (CoapRequest request, string expected) = Make(kind, id, client, dice);
            request.Timeout = kind == SoakKind.NonGet ? settings.Patience : settings.Limit;
            CoapResponse response = await client.Client.SendAsync(request, cancel?.Token ?? default);
            bool isRight = kind == SoakKind.Download
                ? response.Payload.Span.SequenceEqual(SoakServer.Body(id, response.Payload.Length))
                    && response.Payload.Length.ToString(CultureInfo.InvariantCulture) == expected
                : response.GetText() == expected;
            if (response.IsSuccess && isRight)
            {
                return SoakLedger.Answered;
            }

            ledger.Note($"{kind} {id} of {client.Name} was answered {response} instead of '{expected}'");
            return "wrong answer";
        }
        catch (OperationCanceledException) when (cancel is { IsCancellationRequested: true })
        {
            return SoakLedger.Cancelled;
        }
        catch (CoapTimeoutException exception)
        {
            return $"time-out, {exception.Reason}";
        }
        catch (CoapConnectionException exception) when (client.IsStream)
        {
            return client.IsClosing ? SoakLedger.Closed : $"connection, {exception.Error}";
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException)
        {
            if (client.IsClosing)
            {
                return SoakLedger.Closed;
            }

            ledger.Note($"{kind} {id} of {client.Name}: {exception}");
            return exception.GetType().Name;
        }
        // Whatever comes is written down as wrong.
        catch (Exception exception)
        {
            ledger.Note($"{kind} {id} of {client.Name}: {exception}");
            return exception.GetType().Name;
        }
    }

    private static (CoapRequest Request, string Expected) Make(SoakKind kind, long id, SoakClient client, SoakDice dice)
    {
        // More than one block over UDP; sometimes exactly two.
        int length = dice.Next(4) == 0 ? 2048 : 1025 + dice.Next(MaxBody);
        return kind switch
        {
            SoakKind.Put =>
                (new CoapRequest(CoapMethod.Put, $"{client.Origin}/echo?i={id}")
                {
                    Content = CoapContent.Binary(SoakServer.Body(id, length % 100))
                }, $"{id} {length % 100}"),
            SoakKind.Post => (new CoapRequest(CoapMethod.Post, $"{client.Origin}/once?i={id}"), $"{id}"),
            SoakKind.Delete => (new CoapRequest(CoapMethod.Delete, $"{client.Origin}/echo?i={id}"), $"{id}"),
            SoakKind.Slow => (new CoapRequest(CoapMethod.Get, $"{client.Origin}/slow?i={id}"), $"{id}"),
            SoakKind.Upload =>
                (new CoapRequest(CoapMethod.Put, $"{client.Origin}/body?i={id}")
                {
                    Content = CoapContent.Binary(SoakServer.Body(id, length))
                }, $"{id} {length}"),
            SoakKind.Download => (new CoapRequest(CoapMethod.Get, $"{client.Origin}/body?i={id}&n={length}"), $"{length}"),
            _ => (new CoapRequest(CoapMethod.Get, $"{client.Origin}/echo?i={id}") { Confirmable = kind != SoakKind.NonGet }, $"{id}"),
        };
    }
}

/// <summary>What one operation of the load does.</summary>
internal enum SoakKind
{
    /// <summary>A GET with a small answer.</summary>
    Get,

    /// <summary>The same, Non-confirmable.</summary>
    NonGet,

    /// <summary>A PUT with a small payload.</summary>
    Put,

    /// <summary>A POST, which must run at most once.</summary>
    Post,

    /// <summary>A DELETE.</summary>
    Delete,

    /// <summary>A GET that is answered by a message of its own, later than its acknowledgement.</summary>
    Slow,

    /// <summary>A body that goes up in blocks.</summary>
    Upload,

    /// <summary>A body that comes down in blocks.</summary>
    Download,

    /// <summary>A GET that is cancelled soon.</summary>
    Cancel,
}
