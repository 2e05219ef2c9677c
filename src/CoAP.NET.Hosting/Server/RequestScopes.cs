namespace CoAP.NET.Hosting.Server;

/// <summary>The filter that gives each request its services.</summary>
internal sealed class RequestScopes
{
    private IServiceProvider? _root;

    public void Attach(IServiceProvider root) => _root = root;

    /// <summary>
    /// Runs the next handler with services, which end with it. A handler that completes synchronously, or needs none, costs no task.
    /// </summary>
    public ValueTask<CoapResult> ServeAsync(CoapRequestContext request, CoapHandler next, CancellationToken cancellationToken)
    {
        if (_root is not { } root)
        {
            return next(request, cancellationToken);
        }

        RequestServices services = new(root);
        request.Services = services;
        ValueTask<CoapResult> answer;
        try
        {
            answer = next(request, cancellationToken);
        }
        catch (Exception exception)
        {
            answer = ValueTask.FromException<CoapResult>(exception);
        }

        if (answer.IsCompletedSuccessfully)
        {
            ValueTask ended = services.EndAsync();
            if (ended.IsCompletedSuccessfully)
            {
                return answer;
            }

            return EndAsync(answer.Result, ended);
        }

        return EndAsync(answer, services);
    }

    private static async ValueTask<CoapResult> EndAsync(CoapResult result, ValueTask ended)
    {
        await ended.ConfigureAwait(false);
        return result;
    }

    private static async ValueTask<CoapResult> EndAsync(ValueTask<CoapResult> answer, RequestServices services)
    {
        try
        {
            return await answer.ConfigureAwait(false);
        }
        finally
        {
            await services.EndAsync().ConfigureAwait(false);
        }
    }
}
