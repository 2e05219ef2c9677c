using CoAP.NET.Explorer.Pages;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Counts exchanges and observations that run: of all users, and of each. A user is an identity where there is one, otherwise an address.
/// Thread-safe.
/// </summary>
internal sealed class ExplorerPlaces(CoapExplorerOptions options)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, int> _ofUsers = [];
    private int _taken;

    /// <summary>How many run.</summary>
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

    /// <summary>Takes a place, to be given back.</summary>
    /// <returns>Whose it is.</returns>
    /// <exception cref="ExplorerException">All are taken, or all that one user may have.</exception>
    public string Take(HttpContext context)
    {
        string user = context.User.Identity is { IsAuthenticated: true, Name: { } name }
            ? "user " + name : "address " + context.Connection.RemoteIpAddress;
        lock (_gate)
        {
            int own = _ofUsers.GetValueOrDefault(user);
            if (_taken >= options.MaxExchanges || own >= options.MaxExchangesPerUser)
            {
                throw new ExplorerException(
                    StatusCodes.Status503ServiceUnavailable,
                    new PageProblem(
                        "Too much at a time", own >= options.MaxExchangesPerUser
                            ? $"You have {own} requests and observations under way, and one user may have so many."
                            : $"All {options.MaxExchanges} requests and observations of this page are under way.",
                        "Cancel one, or end an observation in another tab."));
            }

            _ofUsers[user] = own + 1;
            _taken++;
        }

        return user;
    }

    /// <summary>Gives a place back.</summary>
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
