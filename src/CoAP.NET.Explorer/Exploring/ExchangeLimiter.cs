using CoAP.NET.Explorer.Pages;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Limits the exchanges and observations of all users, and of each. A user is an identity if there is one, otherwise an address.
/// Thread-safe.
/// </summary>
internal sealed class ExchangeLimiter(CoapExplorerOptions options)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, int> _ofUsers = [];
    private int _taken;

    public int Taken
    {
        get
        {
            lock (_gate)
            {
                return _taken;
            }
        }
    }

    /// <summary>Takes a place; return it with <see cref="Return"/>.</summary>
    /// <returns>The user that holds it.</returns>
    /// <exception cref="ExplorerException">All places are taken, or those of the user are.</exception>
    public string Take(HttpContext context)
    {
        string user = CoapPeerId.OfUser(context.User)?.ToString() ?? $"address {context.Connection.RemoteIpAddress}";
        lock (_gate)
        {
            int own = _ofUsers.GetValueOrDefault(user);
            if (_taken >= options.MaxExchanges || own >= options.MaxExchangesPerUser)
            {
                throw new ExplorerException(
                    StatusCodes.Status503ServiceUnavailable,
                    new PageProblem(
                        "Too much at a time", own >= options.MaxExchangesPerUser
                            ? $"You have {own} pending requests and observations, the maximum per user."
                            : $"This page has {options.MaxExchanges} pending requests and observations, its maximum.",
                        "Cancel one, or end an observation in another tab."));
            }

            _ofUsers[user] = own + 1;
            _taken++;
        }

        return user;
    }

    public void Return(string user)
    {
        lock (_gate)
        {
            _taken--;
            if (--_ofUsers[user] == 0)
            {
                _ofUsers.Remove(user);
            }
        }
    }
}
