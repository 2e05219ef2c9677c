namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>Sends the requests of a run and checks their answers.</summary>
/// <param name="nodes">The clients, proxies and servers.</param>
/// <param name="journal">What was seen.</param>
internal sealed class ProxyRequests(ProxyNodes nodes, ProxyJournal journal)
{
    private readonly ConcurrentDictionary<string, int> _own = [];

    /// <summary>How long an answer may be on its way from a server to a client, at most: copies are sent for that long, for each
    /// hop.</summary>
    public TimeSpan TimeOfFlight { get; set; } = TimeSpan.FromSeconds(100 * (nodes.Proxies.Count + 1));

    /// <summary>Whether the network is well, so that nothing is answered but by the server.</summary>
    public bool IsCalm { get; set; }

    /// <summary>Sends the request of a step.</summary>
    /// <returns>Whether the server answered it.</returns>
    public async Task<bool> SendAsync(ProxyStep step)
    {
        journal.CountRequest();
        bool isAnswered = step.Kind switch
        {
            ProxyStepKind.AskKept => await AskKeptAsync(step),
            ProxyStepKind.AskOwn => await AskOwnAsync(step),
            ProxyStepKind.AskWho => await AskWhoAsync(step),
            ProxyStepKind.AskError => await AskErrorAsync(step),
            _ => await AskAsync(step),
        };
        if (isAnswered)
        {
            journal.CountAnswer();
        }

        return isAnswered;
    }

    /// <summary>Sends a request as a client.</summary>
    /// <returns>The answer; null when it failed by an error of the library.</returns>
    public async Task<CoapResponse?> SendAsync(int client, CoapRequest request)
    {
        try
        {
            return await nodes.Client(client).SendAsync(request);
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException or OperationCanceledException)
        {
            return null;
        }
        // Whatever else comes is what is looked for.
        catch (Exception exception)
        {
            journal.Violate(ProxyCheck.TypedError, $"{request} ended by {exception}");
            return null;
        }
    }

    private async Task<bool> AskAsync(ProxyStep step)
    {
        CoapRequest request = nodes.Make(step, $"echo/{step.Id}");
        byte[] body = new byte[step.Size];
        Dice.Fill((ulong)step.Id, body);
        request.Content = body.Length > 0 ? CoapContent.Binary(body) : null;
        int disturbances = nodes.Disturbances;
        CoapResponse? response = await SendAsync(step.Client, request);
        ProxyOrigin origin = nodes.Origins[step.Origin];
        CheckHops(step, response);
        if (step.Method == CoapMethod.Post && disturbances == nodes.Disturbances && origin.RunsOf(step.Id) > 1)
        {
            journal.Violate(ProxyCheck.RunsOnce,
                $"POST {step.Id} ({step.Way}) was carried out {origin.RunsOf(step.Id)} times, although nobody was restarted or cut off");
        }

        if (response is not { IsSuccess: true })
        {
            return response?.Code == CoapCode.HopLimitReached;
        }

        byte[] head = ProxyOrigin.Answer(step.Origin, step.Id, []);
        ReadOnlySpan<byte> payload = response.Payload.Span;
        if (!payload.StartsWith(head))
        {
            journal.Violate(ProxyCheck.RightAnswer,
                $"request {step.Id} ({step.Way}) was given '{Encoding.ASCII.GetString(payload[..Math.Min(payload.Length, 10)])}'");
        }
        else if (!payload[head.Length..].SequenceEqual(body))
        {
            journal.Violate(ProxyCheck.Bodies,
                $"request {step.Id} ({step.Way}) with {body.Length} bytes was answered by {payload.Length - head.Length} other ones");
        }

        return true;
    }

    private void CheckHops(ProxyStep step, CoapResponse? response)
    {
        if (response is null)
        {
            return;
        }

        bool isUsedUp = step.HopLimit > 0 && step.HopLimit <= nodes.Proxies.Count;
        if (isUsedUp ? response.IsSuccess || nodes.Origins[step.Origin].RunsOf(step.Id) > 0 : response.Code == CoapCode.HopLimitReached)
        {
            journal.Violate(ProxyCheck.HopLimit,
                $"request {step.Id} ({step.Way}) with {step.HopLimit} hops for {nodes.Proxies.Count} proxies was answered {response.Code}");
        }
    }

    private async Task<bool> AskKeptAsync(ProxyStep step)
    {
        CoapResponse? response = await SendAsync(step.Client, nodes.Make(step, $"kept/{step.Resource}"));
        if (response is not { IsSuccess: true })
        {
            return false;
        }

        int version = int.Parse(response.GetText());
        TimeSpan outdated = nodes.Origins[step.Origin].Outdated(step.Resource, version);
        TimeSpan age = ProxyOrigin.AgeOf(step.Resource);
        if (outdated > age + TimeOfFlight)
        {
            journal.Violate(ProxyCheck.Fresh, $"{step.Way} for version {version} of {step.Resource}, which has a Max-Age of "
                + $"{age.TotalSeconds} s, was answered {outdated.TotalSeconds:0.0} s after it was replaced");
        }
        else if (outdated > TimeSpan.Zero && outdated + response.MaxAge > age + TimeOfFlight)
        {
            journal.Violate(ProxyCheck.Fresh, $"{step.Way} for version {version} of {step.Resource}, which was replaced "
                + $"{outdated.TotalSeconds:0.0} s ago, has {response.MaxAge.TotalSeconds} s left of {age.TotalSeconds} s");
        }

        return true;
    }

    private async Task<bool> AskOwnAsync(ProxyStep step)
    {
        CoapResponse? response = await SendAsync(step.Client, nodes.Make(step, "own"));
        if (response is not { IsSuccess: true })
        {
            return false;
        }

        string text = response.GetText();
        if (!_own.TryAdd(text, step.Client))
        {
            journal.Violate(ProxyCheck.Identity,
                $"what client {_own[text]} was answered over a secured transport ('{text}') was given to client {step.Client} "
                + $"({step.Way})");
        }

        return true;
    }

    private async Task<bool> AskWhoAsync(ProxyStep step)
    {
        CoapResponse? response = await SendAsync(step.Client, ProxyNodes.MakeWho(step.Client));
        if (response is not { IsSuccess: true })
        {
            return false;
        }

        if (response.GetText() != ProxyNodes.IdentityOf(step.Client))
        {
            journal.Violate(ProxyCheck.Identity,
                $"{ProxyNodes.IdentityOf(step.Client)} was given what is for {response.GetText()}");
        }

        return true;
    }

    private async Task<bool> AskErrorAsync(ProxyStep step)
    {
        int which = step.Id % ProxyOrigin.Errors.Count;
        CoapCode wanted = ProxyOrigin.Errors[which];
        CoapResponse? response = await SendAsync(step.Client, nodes.Make(step, $"error/{which}"));
        if (response is null)
        {
            return false;
        }

        bool isRight = response.Code == wanted && response.GetText() == $"on purpose {wanted}";
        if (!isRight && (IsCalm || response.IsSuccess || response.Code == wanted))
        {
            journal.Violate(ProxyCheck.Errors, $"{wanted} of a server came as {response.Code} '{response.GetText()}' ({step.Way})");
        }

        return isRight;
    }
}
