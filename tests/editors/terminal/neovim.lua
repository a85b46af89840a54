-- Asks a Neovim that has a job open what a user would see there; the answers are JSON in $ANSWERS. The cursor is put to
-- the place of a word by its text, so that the job may change.
local answers = {}
local WAIT = 30000

local function place(text)
  local row, column = unpack(vim.fn.searchpos("\\V" .. vim.fn.escape(text, "\\"), "nw"))
  assert(row > 0, text .. " is not in the job")
  return row - 1, column - 1
end

local function ask(method, text, offset)
  local row, column = place(text)
  vim.api.nvim_win_set_cursor(0, { row + 1, column + (offset or 0) })
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answer = client:request_sync(method, params, WAIT, 0)
  return answer and answer.result
end

local function colours()
  local found = {}
  for text in vim.gsplit(vim.env.WORDS, "\n") do
    local row, column = place(text)
    found[text] = vim.tbl_map(function(each)
      return each.capture
    end, vim.treesitter.get_captures_at_pos(0, row, column))
  end
  return found
end

local function folds()
  vim.cmd("normal! zx")
  local open, levels = true, {}
  for line = 1, vim.fn.line("$") do
    open = open and vim.fn.foldclosed(line) == -1
    levels[line] = vim.fn.foldlevel(line)
  end
  vim.api.nvim_win_set_cursor(0, { place("role worker") + 1, 0 })
  vim.cmd("normal! zc")
  return { open = open, levels = levels, closed = vim.fn.foldclosed(place("role worker") + 1) }
end

local function diagnostics()
  vim.wait(WAIT, function()
    return #vim.diagnostic.get(0) > 0
  end, 20)
  return vim.tbl_map(function(each)
    return { line = each.lnum + 1, code = each.code, source = each.source }
  end, vim.diagnostic.get(0))
end

local function labels(list)
  local found = {}
  for _, item in ipairs(list and (list.items or list) or {}) do
    table.insert(found, item.label)
  end
  return found
end

local function run()
  answers.attached = vim.wait(WAIT, function()
    return #vim.lsp.get_clients({ bufnr = 0, name = "tfdsl" }) == 1 and vim.lsp.get_clients()[1].initialized
  end, 20)
  answers.settings = vim.lsp.get_clients()[1].settings
  answers.colours = colours()
  answers.folds = folds()
  answers.diagnostics = diagnostics()
  answers.hover = ask("textDocument/hover", "replicas")
  answers.completion = labels(ask("textDocument/completion", "retris", 5))
  vim.lsp.buf.format({ timeout_ms = WAIT })
  answers.formatted = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local row = place("retris")
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.cmd("normal gcc")
  answers.comment = vim.api.nvim_get_current_line()
  vim.api.nvim_buf_set_lines(0, row, row + 1, true, { "  retries = 3" })
  answers.mended = vim.wait(WAIT, function()
    return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0
  end, 20)
  local request = vim.json.decode(vim.env.REQUEST)
  request.textDocument.uri = vim.uri_from_bufnr(0)
  answers.preview = vim.lsp.get_clients()[1]:request_sync("tfdsl/compile", request, WAIT, 0).result
  vim.cmd("normal! o\t")
  answers.tab = vim.api.nvim_get_current_line()
  vim.cmd("edit! tfdsl.toml")
  vim.api.nvim_buf_set_lines(0, 0, -1, true, { "[lint]", 'unused-lets = "off"', "" })
  answers.project = diagnostics()
  answers.rules = labels(ask("textDocument/completion", "unused-lets", 6))
  vim.cmd("edit! other.toml")
  answers.other = #vim.lsp.get_clients({ bufnr = 0, name = "tfdsl" })
end

local ok, wrong = pcall(run)
answers.wrong = not ok and wrong or nil
local file = assert(io.open(vim.env.ANSWERS, "w"))
file:write(vim.json.encode(answers))
file:close()
vim.cmd("qa!")
